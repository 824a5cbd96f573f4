/** The executors of a trial: separate processes whose handlers record what they do. */
@NullMarked
package dev.tandem.verify.worker;

import org.jspecify.annotations.NullMarked;
