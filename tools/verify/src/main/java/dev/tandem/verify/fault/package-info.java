/** The faults, which are injected into real processes, brokers and connections. */
@NullMarked
package dev.tandem.verify.fault;

import org.jspecify.annotations.NullMarked;
