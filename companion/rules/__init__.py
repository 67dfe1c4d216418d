"""What the games are: values, rule sets as data, judges, scoring. Pure: no time, no files but the rule sets."""
