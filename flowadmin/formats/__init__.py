"""How days and moments are written, so that the server and the browser write them alike."""
