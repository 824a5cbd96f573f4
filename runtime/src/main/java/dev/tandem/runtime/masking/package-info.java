/** Masks for values of payloads, errors and results that nobody is to see. */
@NullMarked
package dev.tandem.runtime.masking;

import org.jspecify.annotations.NullMarked;
