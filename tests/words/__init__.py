"""The texts that users read: a catalogue of them, and the words that they avoid."""
