/**
 * The demonstration: a workload with failures, delays and a killed process, and the check of what became of every task.
 *
 * <p>{@link dev.tandem.server.demo.DemoHandler} runs in the executors, and only where {@code tandem.demo.events} is set;
 * all else runs in the process that conducts the demonstration.
 */
@NullMarked
package dev.tandem.server.demo;

import org.jspecify.annotations.NullMarked;
