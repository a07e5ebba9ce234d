// Puts the weights into the program. Training/export.py rewrites the next line, so that a build notices new ones.
// sha256 880e0a53058e95e815014213cb1a321903ea0b3e1b88a1136a01a778dc28fb31
.section .rodata
.balign 64
.global nearend_suppressor_weights
.hidden nearend_suppressor_weights
.type nearend_suppressor_weights, %object
nearend_suppressor_weights:
.incbin "suppressor.weights"
.global nearend_suppressor_weights_end
.hidden nearend_suppressor_weights_end
nearend_suppressor_weights_end:
.section .note.GNU-stack, "", %progbits
