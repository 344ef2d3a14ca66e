/**
 * The REST door: one server, and one mapping that turns the contracts' {@code google.api.http}
 * options into calls of the gRPC services. No handler per route. Start with {@link
 * drover.kit.http.HttpHost}, then {@link drover.kit.http.RestMapping}. Knows no service's domain;
 * only HttpHost knows the web server.
 */
@NullMarked
package drover.kit.http;

import org.jspecify.annotations.NullMarked;
