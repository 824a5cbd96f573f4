/** Requests of pull workers to the executor that has their tasks: programs in any language that lease tasks and end them. */
@NullMarked
package dev.tandem.executor.pull;

import org.jspecify.annotations.NullMarked;
