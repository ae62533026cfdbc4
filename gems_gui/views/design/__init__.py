"""The views of the design debugger, one module each; they are in the registry of all views."""
