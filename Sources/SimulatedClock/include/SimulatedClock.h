// The PipeWire daemon loads the plug-in; Swift calls nothing.
