/** What pull workers ask of the executor that has their tasks: programs in any language that lease tasks and end them. */
@NullMarked
package dev.tandem.executor.pull;

import org.jspecify.annotations.NullMarked;
