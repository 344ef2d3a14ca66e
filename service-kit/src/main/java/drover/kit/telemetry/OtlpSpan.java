package drover.kit.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An ended span as the SDK's exporters take it. Written by hand because the SDK's own spans have
 * ids that it draws, and end within the process that began them.
 */
record OtlpSpan(EndedSpan span, Resource resource) implements SpanData {
    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("drover");

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return SpanKind.INTERNAL;
    }

    @Override
    public SpanContext getSpanContext() {
        return context(span.spanId());
    }

    @Override
    public SpanContext getParentSpanContext() {
        return span.parentId().isEmpty() ? SpanContext.getInvalid() : context(span.parentId());
    }

    private SpanContext context(String id) {
        return SpanContext.create(
                span.traceId(), id, TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public StatusData getStatus() {
        return span.failure().isEmpty()
                ? StatusData.unset()
                : StatusData.create(io.opentelemetry.api.trace.StatusCode.ERROR, span.failure());
    }

    @Override
    public long getStartEpochNanos() {
        return nanos(span.start());
    }

    @Override
    public long getEndEpochNanos() {
        return nanos(span.end());
    }

    @Override
    public Attributes getAttributes() {
        return attributes(span.attributes());
    }

    @Override
    public List<EventData> getEvents() {
        return span.events().stream()
                .map(
                        event ->
                                EventData.create(
                                        nanos(event.at()),
                                        event.name(),
                                        attributes(event.attributes())))
                .toList();
    }

    @Override
    public List<LinkData> getLinks() {
        return List.of();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalRecordedEvents() {
        return span.events().size();
    }

    @Override
    public int getTotalRecordedLinks() {
        return 0;
    }

    @Override
    public int getTotalAttributeCount() {
        return span.attributes().size();
    }

    @Override
    @SuppressWarnings("deprecation") // the interface still asks for it beside the scope
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.create(SCOPE.getName(), null);
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    public Resource getResource() {
        return resource;
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000L + at.getNano();
    }

    private static Attributes attributes(Map<String, Object> values) {
        AttributesBuilder attributes = Attributes.builder();
        values.forEach(
                (key, value) -> {
                    switch (value) {
                        case String text -> attributes.put(key, text);
                        case Long number -> attributes.put(key, number);
                        case Boolean flag -> attributes.put(key, flag);
                        default ->
                                throw new IllegalArgumentException(
                                        "An attribute cannot be a " + value.getClass());
                    }
                });
        return attributes.build();
    }
}
