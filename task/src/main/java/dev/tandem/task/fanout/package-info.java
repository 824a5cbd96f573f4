/** Fan-outs: what a store keeps of a master task's subtasks, and the requests about it. */
@NullMarked
package dev.tandem.task.fanout;

import org.jspecify.annotations.NullMarked;
