"""The guard's log: append-only, hash-chained, one record a decision."""
