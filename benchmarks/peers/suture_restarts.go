// What suture does of what the benchmark versus does: restarts of a service that ends whenever it is given a
// message. Prints restarts per second of processor time, and per second on the wall.
//
//	suture_restarts quits|throws COUNT
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/thejerf/suture/v4"
)

type mortal struct {
	messages <-chan string
	up       chan<- bool
	throws   bool
}

func (service *mortal) Serve(ctx context.Context) error {
	service.up <- true
	select {
	case <-service.messages:
		if service.throws {
			panic("Danger, High Voltage!")
		}
		return errors.New("failed")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	seconds := func(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	messages := make(chan string)
	up := make(chan bool)
	supervisor := suture.New("supervisor", suture.Spec{
		EventHook:        func(suture.Event) {},
		FailureThreshold: 1e18,
		FailureBackoff:   time.Nanosecond,
	})
	supervisor.Add(&mortal{messages, up, os.Args[1] == "throws"})
	go supervisor.Serve(context.Background())
	<-up
	cpuBegin, wallBegin := cpu(), time.Now()
	for i := 0; i < count; i++ {
		messages <- "twelve bytes"
		<-up
	}
	wall := time.Since(wallBegin).Seconds()
	fmt.Printf("%f %f\n", float64(count)/(cpu()-cpuBegin), float64(count)/wall)
}
