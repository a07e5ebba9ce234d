// Puts the weights into the program. Training/export.py rewrites the next line, so that a build notices new ones.
// sha256 90e55902fda478134c515ebfd447fb5c1ed267a5a8928ec87898fd19a59ec150
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
