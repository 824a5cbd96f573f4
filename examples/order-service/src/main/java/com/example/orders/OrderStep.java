package com.example.orders;

/** The payload of each step of an order. All else is in the database. */
public record OrderStep(String order) {}
