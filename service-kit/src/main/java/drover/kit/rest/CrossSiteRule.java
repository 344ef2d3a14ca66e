package drover.kit.rest;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Rejects requests that another site makes a browser send (CSRF, DNS rebinding). It applies where a
 * request carries no key, so that the browser alone would authenticate it. Clients that are not
 * browsers send neither {@code Sec-Fetch-Site} nor {@code Origin} and pass.
 */
final class CrossSiteRule {
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");
    private static final Pattern PORT = Pattern.compile(":[0-9]*$");

    private final Supplier<Set<String>> names;
    private final String scheme;

    /**
     * @param names of the endpoint in addition to the loopback names, in lower case
     * @param scheme of the endpoint, {@code http} or {@code https}
     */
    CrossSiteRule(Supplier<Set<String>> names, String scheme) {
        this.names = names;
        this.scheme = scheme;
    }

    /**
     * Checks a request.
     *
     * @param headers by lower-case name
     * @throws Refused with {@code MISDIRECTED} or {@code CROSS_SITE}
     */
    void check(String method, Map<String, String> headers) {
        String host = headers.getOrDefault("host", "").toLowerCase(Locale.ROOT);
        if (!isOwnHost(PORT.matcher(host).replaceFirst(""))) {
            throw new Refused(
                    RefusalCode.MISDIRECTED,
                    "The header Host does not name this endpoint; use 127.0.0.1 or localhost.");
        }
        String site = headers.get("sec-fetch-site");
        String origin = headers.get("origin");
        boolean crossSite =
                site == null
                        ? origin != null && !isOwnOrigin(origin.toLowerCase(Locale.ROOT), host)
                        : !isAllowedFetchSite(site, method);
        if (crossSite) {
            throw new Refused(
                    RefusalCode.CROSS_SITE,
                    "A page of another site sent this request; send a key, or use a client that"
                            + " is not a browser.");
        }
    }

    private boolean isOwnHost(String name) {
        return LOOPBACK.matcher(name).matches() || names.get().contains(name);
    }

    /** A user who types the address or follows a bookmark sends {@code none}. */
    private static boolean isAllowedFetchSite(String site, String method) {
        return site.equals("same-origin")
                || (site.equals("none") && (method.equals("GET") || method.equals("HEAD")));
    }

    private boolean isOwnOrigin(String origin, String host) {
        String port = scheme.equals("https") ? ":443" : ":80";
        return origin.equals(scheme + "://" + host)
                || (host.endsWith(port)
                        && origin.equals(
                                scheme + "://" + host.substring(0, host.length() - port.length())));
    }
}
