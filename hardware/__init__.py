"""Everything that touches the physical world: cameras, buttons, lamp, printable sheets and parts."""
