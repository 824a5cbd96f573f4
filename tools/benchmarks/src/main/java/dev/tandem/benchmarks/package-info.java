/** End-to-end benchmarks, and JMH for the hot paths. */
@NullMarked
package dev.tandem.benchmarks;

import org.jspecify.annotations.NullMarked;
