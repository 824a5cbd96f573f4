package dev.tandem.spring.shop;

public record Ship(String order, int items) {}
