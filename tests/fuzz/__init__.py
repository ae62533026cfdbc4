"""Whatever is read, from whatever bytes: a value or one sentence, within a second and 500 MB."""
