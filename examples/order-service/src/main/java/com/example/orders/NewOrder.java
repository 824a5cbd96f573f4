package com.example.orders;

/** What a customer wants. */
public record NewOrder(String customer, String article, int pieces, String card) {}
