/** End-to-end benchmarks behind {@code ./tandem bench}, and JMH benchmarks of hot paths. */
@NullMarked
package dev.tandem.benchmarks;

import org.jspecify.annotations.NullMarked;
