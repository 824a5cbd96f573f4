/** Events: what other programs are told about the tasks of a queue, as CloudEvents. */
@NullMarked
package dev.tandem.task.event;

import org.jspecify.annotations.NullMarked;
