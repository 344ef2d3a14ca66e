/**
 * The REST API: one HTTP server, and one transcoder that turns the contracts' {@code
 * google.api.http} options into calls of the gRPC services. No handler per route. Start with {@link
 * drover.kit.rest.HttpServer}, then {@link drover.kit.rest.RestTranscoder}. The only package that
 * depends on the web server. Knows no service's domain.
 */
@NullMarked
package drover.kit.rest;

import org.jspecify.annotations.NullMarked;
