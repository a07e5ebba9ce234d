"""An OpenTelemetry collector that reads with OpenTelemetry's own protobuf messages. Prints the port that it listens at, then a line of JSON
for each metric of a POST, and "{}" after each POST. If protobuf's strict parser rejects it, the answer is 400, and the error printed."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest, ExportMetricsServiceResponse


def lines(request):
    for resource in request.resource_metrics:
        who = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                data = getattr(metric, kind)
                yield {
                    "service": who.get("service.name", ""),
                    "name": metric.name,
                    "kind": kind,
                    "isCumulative": kind == "sum" and data.is_monotonic and data.aggregation_temporality == 2,
                    "points": [
                        {
                            "labels": {attribute.key: attribute.value.string_value for attribute in point.attributes},
                            "value": repr(point.as_double),
                            "isTimed": point.time_unix_nano > 0 and (kind == "gauge" or point.start_time_unix_nano > 0),
                        }
                        for point in data.data_points
                    ],
                }


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            if (self.path, self.headers["Content-Type"]) != ("/v1/metrics", "application/json"):
                raise ValueError(f"{self.path} with {self.headers['Content-Type']}")
            told, status = list(lines(json_format.Parse(body, ExportMetricsServiceRequest()))), 200
        except (ValueError, json_format.ParseError) as error:
            told, status = [{"refused": str(error)}], 400
        for line in told:
            print(json.dumps(line))
        print("{}", flush=True)
        answer = json_format.MessageToJson(ExportMetricsServiceResponse()).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
