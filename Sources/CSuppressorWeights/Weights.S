// Puts the weights into the program. Training/export.py rewrites the next line, so that a build notices new ones.
// sha256 2da06efbece1e7b04d1bcab013961ace165598701fe1b5f2ed329281e9664141
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
