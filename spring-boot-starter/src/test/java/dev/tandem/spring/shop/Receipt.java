package dev.tandem.spring.shop;

public record Receipt(String order, long token) {}
