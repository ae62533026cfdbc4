"""The views of the design debugger, one file each; their registry is that of all views."""
