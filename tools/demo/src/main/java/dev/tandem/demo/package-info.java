/**
 * The commands {@code ./tandem demo} and {@code ./tandem up}: the whole platform on one machine.
 *
 * <p>The demonstration publishes a workload with failures and delays, kills an executor, and checks what became of
 * every task. Its servers run {@link dev.tandem.demo.DemoServer}, which adds the {@code demo} handler to the server.
 */
@NullMarked
package dev.tandem.demo;

import org.jspecify.annotations.NullMarked;
