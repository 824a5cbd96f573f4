/**
 * {@linkplain dev.tandem.runtime.Tandem Runs handlers} in any Java program, beside other programs and servers that share its
 * queues. These names stay: a later version adds to them, and changes none.
 */
@NullMarked
package dev.tandem.runtime;

import org.jspecify.annotations.NullMarked;
