package com.example.orders;

/** The order of a customer. */
public record NewOrder(String customer, String article, int pieces, String card) {}
