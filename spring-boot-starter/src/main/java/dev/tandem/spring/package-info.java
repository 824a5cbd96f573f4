/**
 * Task handlers and gateways as beans of a Spring Boot application ({@code docs/spring-boot.md}).
 */
@NullMarked
package dev.tandem.spring;

import org.jspecify.annotations.NullMarked;
