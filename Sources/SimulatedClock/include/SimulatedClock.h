// The PipeWire daemon loads the plugin; Swift calls nothing.
