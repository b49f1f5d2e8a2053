"""The status page at `/`: the overview as HTML and as JSON, for the operator's eyes. It changes nothing."""
