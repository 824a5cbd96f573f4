/**
 * Helpers that the benchmarks, the verification, the local platform and the demo share: waiting, event logs,
 * percentiles, tables, temporary folders and a proxy.
 *
 * <p>The package knows no broker and no other module. It is a module of its own, and not a part of the testkit,
 * because the demo ships with the server, and the testkit brings JUnit and broker clients. Only tools, tests and the
 * demo may use it.
 */
@NullMarked
package dev.tandem.kit;

import org.jspecify.annotations.NullMarked;
