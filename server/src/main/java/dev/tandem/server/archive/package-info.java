/** The archive of ended tasks in PostgreSQL: fed by the events of queues, and searched by the API and the console. */
@NullMarked
package dev.tandem.server.archive;

import org.jspecify.annotations.NullMarked;
