package com.example.plain;

/** The payload of a task: what is to be shipped. */
public record Ship(String order, int items) {}
