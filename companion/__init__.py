"""The game and the product: rules, referee, journal, page. Knows tiles in millimetres, never pixels."""
