package dev.tandem.spring.gateways;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Configuration;

/** An application whose package has one gateway. */
@Configuration(proxyBeanMethods = false)
@AutoConfigurationPackage
public class OrdersApplication {}
