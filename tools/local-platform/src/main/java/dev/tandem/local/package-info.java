/** Kafka, AMQP and Redis on this machine, each as a child process that can be killed for real. */
@NullMarked
package dev.tandem.local;

import org.jspecify.annotations.NullMarked;
