// The plugin is loaded by the PipeWire daemon; nothing is called from Swift.
