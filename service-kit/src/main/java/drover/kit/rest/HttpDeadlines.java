package drover.kit.rest;

import java.time.Duration;

/**
 * Deadlines of an HTTP connection. The server closes a connection that exceeds one.
 *
 * @param header from the connection to the complete header of its first request, including TLS
 * @param body for a complete body
 * @param idle from a response to the complete header of the next request
 */
record HttpDeadlines(Duration header, Duration body, Duration idle) {
    static final HttpDeadlines STANDARD =
            new HttpDeadlines(
                    Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(60));
}
