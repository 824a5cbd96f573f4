package com.example.orders;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService service;
    private final Orders orders;

    OrderController(OrderService service, Orders orders) {
        this.service = service;
        this.orders = orders;
    }

    /** Answers once the order is in the database. Kafka, RabbitMQ and Redis may all be away then. */
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, String> place(@RequestBody NewOrder wanted) {
        return Map.of("id", service.place(wanted));
    }

    @GetMapping("/{id}")
    Order get(@PathVariable String id) {
        return orders.get(id);
    }

    @ExceptionHandler
    ProblemDetail noSuchOrder(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, e.getMessage());
    }
}
