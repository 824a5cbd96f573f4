package com.example.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class OrderServiceApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(OrderServiceApplication.class, arguments);
    }
}
