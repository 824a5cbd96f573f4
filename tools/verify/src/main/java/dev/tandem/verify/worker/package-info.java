/** An executor in a process of its own, whose handlers record what they do. */
@NullMarked
package dev.tandem.verify.worker;

import org.jspecify.annotations.NullMarked;
