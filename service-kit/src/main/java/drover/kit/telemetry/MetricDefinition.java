package drover.kit.telemetry;

import java.util.Arrays;
import java.util.List;

/**
 * One metric as it is scraped: the whole name, what it measures, and which labels it has. Labels
 * hold few values each; never a node (their number is what a receiver pays for).
 *
 * @param help one sentence for people
 * @param labels names of its labels, in the order in which values are given
 * @param buckets upper bounds of a histogram's buckets; empty for the other kinds
 */
public record MetricDefinition(
        String name, Kind kind, String help, List<String> labels, List<Double> buckets) {
    /** What a metric does over time. */
    public enum Kind {
        /** Only grows; begins at nothing with the process. */
        COUNTER,
        /** Stands at a value. */
        GAUGE,
        /** Counts values by size. */
        HISTOGRAM
    }

    /** For work of programs: a millisecond to a minute. */
    private static final List<Double> SHORT =
            List.of(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1., 2.5, 5., 10., 30., 60.);

    /** For work on fleets: a second to a week, with the hours and days that people speak of. */
    private static final List<Double> LONG =
            List.of(
                    1., 5., 15., 30., 60., 120., 300., 600., 1_800., 3_600., 7_200., 14_400.,
                    28_800., 86_400., 172_800., 604_800.);

    public MetricDefinition {
        labels = List.copyOf(labels);
        buckets = List.copyOf(buckets);
        if (!name.matches("drover_[a-z_]+")) {
            throw new IllegalArgumentException(name + " is no name of ours");
        }
        if ((kind == Kind.COUNTER) != name.endsWith("_total")) {
            throw new IllegalArgumentException(name + ": counters, and they alone, end in _total");
        }
    }

    /** Counts what happens; its name ends in {@code _total}. */
    public static MetricDefinition counter(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.COUNTER, help, Arrays.asList(labels), List.of());
    }

    /** Tells what is so at the moment of the scrape. */
    public static MetricDefinition gauge(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.GAUGE, help, Arrays.asList(labels), List.of());
    }

    /** Durations of what programs do, in seconds. */
    public static MetricDefinition shortDurationHistogram(
            String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.HISTOGRAM, help, Arrays.asList(labels), SHORT);
    }

    /** Durations of what a fleet goes through, in seconds. */
    public static MetricDefinition longDurationHistogram(
            String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.HISTOGRAM, help, Arrays.asList(labels), LONG);
    }
}
