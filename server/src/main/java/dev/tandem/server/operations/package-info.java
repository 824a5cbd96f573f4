/**
 * Operations on many tasks: what is asked for, which tasks that chooses, and how far it is. The runtime carries them out; the
 * API shows, begins and stops them.
 */
@NullMarked
package dev.tandem.server.operations;

import org.jspecify.annotations.NullMarked;
