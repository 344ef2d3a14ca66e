package drover.kit.rest;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Finds the route of a request. */
record RouteTable(List<Route> routes) {
    /** What was found. */
    sealed interface Match {
        /** A route, with the decoded captures of its path. */
        record Found(Route route, Map<String, String> captures) implements Match {}

        /** The path exists, but takes only these verbs. */
        record WrongVerb(List<String> allowed) implements Match {}

        /** There is no such path. */
        record NoSuchPath() implements Match {}
    }

    RouteTable {
        routes = routes.stream().sorted(Comparator.comparing(Route::path)).toList();
    }

    /** Finds the route of a request. HEAD uses the route of GET, unless that is a stream. */
    Match find(String verb, String path) {
        TreeSet<String> otherVerbs = new TreeSet<>();
        for (Route route : routes) {
            Optional<Map<String, String>> captures = route.path().match(path);
            List<String> verbs = verbsOf(route);
            if (captures.isPresent() && verbs.contains(verb)) {
                return new Match.Found(route, captures.get());
            }
            captures.ifPresent(there -> otherVerbs.addAll(verbs));
        }
        return otherVerbs.isEmpty()
                ? new Match.NoSuchPath()
                : new Match.WrongVerb(List.copyOf(otherVerbs));
    }

    private static List<String> verbsOf(Route route) {
        return route.verb().equals("GET") && !route.isStream()
                ? List.of("GET", "HEAD")
                : List.of(route.verb());
    }
}
