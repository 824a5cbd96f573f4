package dev.tandem.spring;

import java.util.Map;

/** The address of a broker or of Redis that a service connection of Spring Boot gives, as settings of Tandem. */
@FunctionalInterface
interface ConnectionSettings {

    /** Returns values by the names of the settings. Called when the service can be asked for its address. */
    Map<String, String> settings();
}
